# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# Ceph's S3 gateway on one machine (LGPL-2.1 and others, Debian packages): a monitor, a daemon that keeps the objects in
# memory, and the gateway. The version is Debian's (12: Ceph 16). The daemon finds its own ports between 6800 and 7568, on
# the loopback interface.

ceph_install() {
    command -v radosgw >/dev/null && return 0
    install_debian ceph
    command -v radosgw >/dev/null || die "Ceph is not installed: apt-get install ceph-mon ceph-osd ceph-common radosgw"
}

ceph_do() { # PROGRAM ARGUMENT...
    local program=$1
    shift
    timeout 60 "$program" -c "$run/ceph/ceph.conf" "$@" >>"$run/ceph.log" 2>&1 || die "$program $1 failed: $run/ceph.log"
}

# The monitor's address, with the ports, is in the cluster's map: a new port is a new cluster.
ceph_mon_configure() {
    local folder=$run/ceph fsid monitor entity
    monitor="[v2:127.0.0.1:$port/0,v1:127.0.0.1:${ports[1]}/0]"
    fsid=$(cat /proc/sys/kernel/random/uuid)
    rm -rf "$folder"
    mkdir -p "$folder/mon" "$folder/osd" "$folder/run"
    cat >"$folder/ceph.conf" <<X
[global]
fsid = $fsid
mon_initial_members = a
mon_host = $monitor
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = $folder/keyring
public_network = 127.0.0.0/8
mon_data = $folder/mon
osd_data = $folder/osd
rgw_data = $folder/run
run_dir = $folder/run
admin_socket = $folder/run/\$name.asok
pid_file = $folder/run/\$name.pid
log_file = $folder/run/\$name.log
osd_objectstore = memstore
memstore_device_bytes = 4294967296
osd_crush_chooseleaf_type = 0
osd_mon_shutdown_timeout = 1
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_autoscale_mode = off
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 1
mon_data_avail_warn = 2
X
    ceph-authtool --create-keyring "$folder/keyring" --gen-key -n mon. --cap mon 'allow *' >>"$run/ceph.log"
    for entity in client.admin client.rgw.a osd.0; do
        ceph-authtool "$folder/keyring" --gen-key -n "$entity" --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' \
            >>"$run/ceph.log"
    done
    monmaptool --create --addv a "${monitor//\/0/}" --fsid "$fsid" "$folder/monmap" >>"$run/ceph.log"
    ceph_do ceph-mon --mkfs -i a --monmap "$folder/monmap" --keyring "$folder/keyring"
}

ceph_status_has() { # PATTERN
    timeout 10 ceph -c "$run/ceph/ceph.conf" --connect-timeout 2 status 2>/dev/null | grep -q "$1"
}

ceph_mon_answers() {
    ceph_status_has 'mon: 1 daemons'
}

ceph_osd_answers() {
    ceph_status_has 'osd: 1 osds: 1 up'
}

ceph_start() {
    local uuid
    : >"$run/ceph.log"
    launch ceph_mon ceph_mon_answers / ceph-mon -f -i a -c "$run/ceph/ceph.conf"
    ceph_do ceph auth import -i "$run/ceph/keyring"
    uuid=$(cat /proc/sys/kernel/random/uuid)
    ceph_do ceph osd new "$uuid"
    ceph_do ceph-osd -i 0 --mkfs --osd-uuid "$uuid"
    launch ceph_osd ceph_osd_answers / ceph-osd -f -i 0 -c "$run/ceph/ceph.conf"
    ceph_do ceph osd crush add-bucket here host
    ceph_do ceph osd crush move here root=default
    ceph_do ceph osd crush set osd.0 1.0 root=default host=here
    launch ceph answers / radosgw -f -n client.rgw.a -c "$run/ceph/ceph.conf" --rgw-frontends "beast endpoint=127.0.0.1:PORT"
    ceph_do radosgw-admin user create --uid=test --display-name=test --access-key="$access_key" --secret-key="$secret_key"
}
