# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# Adobe S3Mock (Apache-2.0, Maven): checks no secret and takes expired signatures (E7: no fence); its conditions do not
# hold under a race. It opens a second port, for https.

s3mock_version=5.2.0

s3mock_install() {
    install_once "s3mock-$s3mock_version" \
        maven_program "com.adobe.testing:s3mock:$s3mock_version" org.slf4j:slf4j-api:2.0.18
}

s3mock_start() {
    mkdir -p "$run/s3mock"
    launch s3mock answers / \
        java -Xmx512m -Djava.io.tmpdir="$run/s3mock" -cp "$cache/s3mock-$s3mock_version/lib/*" \
        com.adobe.testing.s3mock.S3MockApplication --server.address=127.0.0.1 \
        --com.adobe.testing.s3mock.httpPort=PORT --server.port=PORT_2
}
