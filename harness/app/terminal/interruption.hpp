// SIGTERM, SIGUSR1 and SIGINT ask a run to stop at the next case boundary; what is finished is kept.
#pragma once

namespace plumbline::app {

/// Installed before MPI starts. A second signal of the same kind ends the process at once.
void watch_for_signals();
/// From now on that many seconds may pass (at most a day, in whole ones, at least 1); then it is as if a signal had come, SIGALRM.
void stop_after(double seconds);
/// What follows may take its time: no SIGALRM comes any more, and one that came is forgotten.
void time_is_no_limit_any_more();
/// The signal that came, or 0.
int signal_received();

}  // namespace plumbline::app
