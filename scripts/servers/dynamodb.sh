# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# DynamoDB Local: AWS's own, with the records in memory. Version and dependencies stand in dynamodb-local.pom.xml. The heap
# holds several of the largest items at a time: where it is short of room, everybody waits while the whole of it is cleaned.

dynamodb_pom=$servers_dir/dynamodb-local.pom.xml
dynamodb_version=$(sed -n 's:.*<dynamodb-local.version>\(.*\)</dynamodb-local.version>.*:\1:p' "$dynamodb_pom")

dynamodb_copy() { # FOLDER
    # Maven puts a target folder beside the pom; the source tree is left alone.
    cp "$dynamodb_pom" "$1/pom.xml" &&
        mvn -B -q -f "$1/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$1/lib"
}

dynamodb_install() {
    install_once "dynamodb-local-$dynamodb_version" dynamodb_copy
}

dynamodb_start() {
    local folder=$cache/dynamodb-local-$dynamodb_version
    launch dynamodb answers / \
        java -Xmx2g -Djava.library.path="$folder/lib" -cp "$folder/lib/*" \
        com.amazonaws.services.dynamodbv2.local.main.ServerRunner -inMemory -sharedDb -disableTelemetry -port PORT
    warm_ledger "http://127.0.0.1:$port"
}
