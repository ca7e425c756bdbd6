# `bash healthcheck.sh [/ready]` sends a request to the process of this container. The image has no curl, and a start of Node takes many
# times as much of the processor, in each container again and again.
# Exit code 0: it answered 2xx. 1: Docker and Compose show the container as unhealthy.
folder=${0%/*}
path=${1:-/health}
read -r image <"$folder/image.json"

# bash speaks no TLS. The gateway, the edge and the single node have none for their clients, whatever certificate they have for the services.
if [[ -n $INTERNAL_TLS_CERT_FILE && $image == *'"package":"services/'* ]]; then
  exec node "$folder/healthcheck-tls.mjs" "$path"
fi

[[ $image =~ '"port":'([0-9]+) ]]
exec 3<>"/dev/tcp/127.0.0.1/${PORT:-${BASH_REMATCH[1]}}" || exit 1
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "$path" >&3
# Reads to the end of the answer. 2.5 s are longer than the 2 s for which /ready checks each dependency at most.
read -r -d '' -t 2.5 answer <&3
[[ $answer =~ ^'HTTP/1.1 '2[0-9][0-9]' ' ]] && exit 0
answer=${answer%%$'\r'*}
echo "$path: ${answer:-no answer within 2.5 s}" >&2
exit 1
