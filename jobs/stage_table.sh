# The stages of a job with their seconds, beside the minutes that each may take on two cores. Sourced: `allowed_minutes` is the caller's, one
# entry a stage, and its table is to be kept: who makes a stage longer makes another one shorter. A machine that is slow or busy goes over
# too, so being over fails nothing; it is said.
# shellcheck shell=bash
declare -A allowed_minutes
stage_names=()
stage_seconds=()
stage_start=$SECONDS

# end_stage NAME: what ran since the stage before.
end_stage() {
  stage_names+=("$1")
  stage_seconds+=("$((SECONDS - stage_start))")
  stage_start=$SECONDS
}

print_stages() {
  local i allowed over
  printf '%-14s %9s %16s\n' stage seconds 'allowed minutes'
  for i in "${!stage_names[@]}"; do
    allowed=${allowed_minutes[${stage_names[i]}]:-}
    over=
    if [[ -n $allowed ]] && ((stage_seconds[i] > allowed * 60)); then over='  over its allowance'; fi
    printf '%-14s %9d %16s%s\n' "${stage_names[i]}" "${stage_seconds[i]}" "${allowed:--}" "$over"
  done
  printf '%-14s %9d\n' whole "$SECONDS"
}
