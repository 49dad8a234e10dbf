# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # store_access_key, store_secret_key: servers.sh
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# LocalStack, its community edition: S3 only, without Docker (Apache-2.0, pip). A release that runs on Debian 12's Python:
# 4.14 needs a newer one. It sends no usage data, serves no DNS and looks for no newer version: nothing leaves the loopback
# interface.

localstack_version=4.9.2

localstack_install() {
    install_once "localstack-$localstack_version-$(python_tag)" \
        pip_program "localstack-core[base-runtime]==$localstack_version" 'cbor2<6' 'pyopenssl<26' service_identity
}

localstack_start() {
    store_access_key="test"
    store_secret_key="test"
    mkdir -p "$run/localstack"
    launch localstack answers_well /_localstack/health \
        env PYTHONPATH="$cache/localstack-$localstack_version-$(python_tag)" HOME="$run/localstack" TMPDIR="$run/localstack" \
        SERVICES=s3 STRICT_SERVICE_LOADING=1 EAGER_SERVICE_LOADING=1 GATEWAY_LISTEN=127.0.0.1:PORT \
        S3_SKIP_SIGNATURE_VALIDATION=0 DISABLE_EVENTS=1 DNS_ADDRESS=0 SKIP_SSL_CERT_DOWNLOAD=1 ACTIVATE_PRO=0 \
        python3 -m localstack.runtime.main
}
