# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# s3proxy over a plain folder (Apache-2.0, Maven): its conditions do not hold under a race.

s3proxy_version=4.1.0

s3proxy_install() {
    install_once "s3proxy-$s3proxy_version" \
        maven_program "org.gaul:s3proxy:$s3proxy_version" com.fasterxml.jackson.core:jackson-annotations:2.21
}

s3proxy_configure() {
    mkdir -p "$run/s3proxy"
    cat >"$run/s3proxy.properties" <<X
s3proxy.endpoint=http://127.0.0.1:$port
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=$access_key
s3proxy.credential=$secret_key
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir=$run/s3proxy
X
    # At its own level, DEBUG, it writes gigabytes.
    cat >"$run/s3proxy-logback.xml" <<'X'
<configuration>
  <appender name="STDERR" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%level %msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="STDERR"/></root>
</configuration>
X
}

s3proxy_start() {
    launch s3proxy answers / \
        java -Xmx512m -Dlogback.configurationFile="$run/s3proxy-logback.xml" -cp "$cache/s3proxy-$s3proxy_version/lib/*" \
        org.gaul.s3proxy.Main --properties "$run/s3proxy.properties"
}
