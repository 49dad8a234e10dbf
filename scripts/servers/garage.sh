# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # store_access_key, store_secret_key: servers.sh
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# Garage (AGPL-3.0, cargo: built as it is, linked with nothing of ours): ignores If-None-Match, and answers an expired
# signature with 400. Building it takes a quarter of an hour: not for continuous integration.

garage_version=2.5.0

garage_install() {
    need_cargo
    install_once "garage-$garage_version" \
        cargo_install garage "$garage_version" --no-default-features --features sqlite,bundled-libs
}

# Its keys have a form of their own: GK and 24 hexadecimal digits; 64 of them.
garage_configure() {
    mkdir -p "$run/garage"
    cat >"$run/garage.toml" <<X
metadata_dir = "$run/garage/meta"
data_dir = "$run/garage/data"
db_engine = "sqlite"
replication_factor = 1
rpc_bind_addr = "127.0.0.1:${ports[1]}"
rpc_public_addr = "127.0.0.1:${ports[1]}"
rpc_secret = "$(random_hex 32)"
[s3_api]
api_bind_addr = "127.0.0.1:$port"
s3_region = "us-east-1"
[admin]
api_bind_addr = "127.0.0.1:${ports[2]}"
X
}

garage_start() {
    store_access_key=GK$(random_hex 12)
    store_secret_key=$(random_hex 32)
    launch garage answers / \
        env GARAGE_DEFAULT_ACCESS_KEY="$store_access_key" GARAGE_DEFAULT_SECRET_KEY="$store_secret_key" \
        RUST_LOG=garage=warn "$cache/garage-$garage_version/bin/garage" -c "$run/garage.toml" \
        server --single-node --default-access-key
}
