# shellcheck shell=bash
# The hosts of the virtual cluster; sourced by with_cluster.sh, and run as process 1 of its namespaces.

host_name() {
  local letters=ABCDEFGHIJKLMNOPQRSTUVWXYZ
  printf 'node%s' "${letters:$1:1}"
}

write_hosts_file() {
  local i
  echo "127.0.0.1 localhost"
  echo "10.77.0.1 login"
  for ((i = 0; i < $1; i++)); do echo "10.77.0.$((10 + i)) $(host_name "$i")"; done
}

# start_host NUMBER: a process that holds the namespaces of one host; its pid lands in NODE.pid once the host is complete.
start_host() {
  local number=$1 name address pid try
  name=$(host_name "$number")
  address=10.77.0.$((10 + number))/24
  unshare --net --uts --ipc --mount --propagation private sh -c "
    hostname $name && mount -t tmpfs tmpfs /dev/shm && ip link set lo up && : >'$PLUMBLINE_CLUSTER/$name.ready' && exec sleep infinity" \
    </dev/null >"$PLUMBLINE_CLUSTER/log/$name" 2>&1 &
  pid=$! # unshare without --fork becomes the command itself
  for ((try = 0; try < 200; try++)); do
    if [[ -e $PLUMBLINE_CLUSTER/$name.ready ]]; then break; fi
    sleep 0.02
  done
  [[ -e $PLUMBLINE_CLUSTER/$name.ready ]] || { echo "with_cluster: host $name did not start" >&2 && exit 1; }
  ip link add "veth$number" type veth peer name eth0 netns "$pid"
  ip link set "veth$number" master bridge0 up
  nsenter --target "$pid" --net sh -c "ip address add $address dev eth0 && ip link set eth0 up"
  echo "$pid" >"$PLUMBLINE_CLUSTER/$name.pid"
}

# hosts_up N: the bridge, the login node and N hosts.
hosts_up() {
  local i names=()
  hostname login
  write_hosts_file "$1" >"$PLUMBLINE_CLUSTER/hosts"
  mount --bind "$PLUMBLINE_CLUSTER/hosts" /etc/hosts # before the hosts copy this mount table
  mount -t tmpfs tmpfs /dev/shm
  ip link set lo up
  ip link add bridge0 type bridge
  ip address add 10.77.0.1/24 dev bridge0
  ip link set bridge0 up
  for ((i = 0; i < $1; i++)); do
    start_host "$i"
    names+=("$(host_name "$i")")
  done
  PLUMBLINE_CLUSTER_NODES=$(IFS=, && echo "${names[*]}")
  export PLUMBLINE_CLUSTER_NODES
}
