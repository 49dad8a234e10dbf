# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # store_access_key, store_secret_key: servers.sh
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# OpenStack Swift with its S3 gateway, s3api, on one machine (Apache-2.0, Debian packages): a store that refuses a
# conditional PUT with 501. Accounts are kept by tempauth, so that an access key is ACCOUNT:USER.

swift_install() {
    command -v swift-proxy-server >/dev/null && return 0
    install_debian swift
    command -v swift-proxy-server >/dev/null ||
        die "Swift is not installed: apt-get install swift-proxy swift-object swift-container swift-account memcached"
}

# /etc/swift/swift.conf, which these programs always read, holds the salt of the hashes that place objects.
swift_salt() {
    local file=/etc/swift/swift.conf
    [[ -r $file ]] && grep -q '^swift_hash_path_suffix' "$file" && return 0
    as_root mkdir -p /etc/swift
    printf '[swift-hash]\nswift_hash_path_suffix = oscommit\nswift_hash_path_prefix = test\n' | as_root tee "$file" >/dev/null ||
        die "Swift needs a readable $file with a swift_hash_path_suffix, which only root can write."
}

swift_ring() { # KIND PORT
    local builder=$run/swift/etc/$1.builder
    rm -f "$builder"
    {
        swift-ring-builder "$builder" create 4 1 1
        swift-ring-builder "$builder" add "r1z1-127.0.0.1:$2/d1" 1
        swift-ring-builder "$builder" rebalance
    } >>"$run/swift.log"
}

swift_backend_configure() { # KIND
    swift_ring "$1" "$port"
    cat >"$run/swift/$1.conf" <<X
[DEFAULT]
devices = $run/swift/devices
mount_check = false
bind_ip = 127.0.0.1
bind_port = $port
workers = 0
user = $(id -un)
swift_dir = $run/swift/etc
log_level = WARNING
[pipeline:main]
pipeline = healthcheck $1-server
[app:$1-server]
use = egg:swift#$1
[filter:healthcheck]
use = egg:swift#healthcheck
X
}

swift_account_configure() {
    swift_backend_configure account
}

swift_container_configure() {
    swift_backend_configure container
}

swift_object_configure() {
    swift_backend_configure object
}

swift_configure() {
    local filter
    {
        cat <<X
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 0
user = $(id -un)
swift_dir = $run/swift/etc
log_level = WARNING
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo dlo versioned_writes symlink copy proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_$access_key = $secret_key .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$swift_cache_port
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
X
        for filter in bulk catch_errors copy dlo gatekeeper healthcheck listing_formats slo symlink; do
            printf '[filter:%s]\nuse = egg:swift#%s\n' "$filter" "$filter"
        done
    } >"$run/swift/proxy.conf"
}

accepts() { # URL: a server that does not speak HTTP
    (exec 3<>"/dev/tcp/127.0.0.1/${1##*:}") 2>/dev/null
}

swift_start() {
    local kind
    store_access_key=test:$access_key
    mkdir -p "$run/swift/etc" "$run/swift/devices/d1"
    swift_salt
    launch swift_cache accepts '' memcached -u "$(id -un)" -l 127.0.0.1 -p PORT
    swift_cache_port=$port
    for kind in account container object; do
        launch "swift_$kind" answers_well /healthcheck "swift-$kind-server" "$run/swift/$kind.conf"
    done
    launch swift answers_well /healthcheck swift-proxy-server "$run/swift/proxy.conf"
}
