// SIGTERM, SIGUSR1 and SIGINT ask a run to stop at the next case boundary; what is finished is kept.
#pragma once

namespace plumbline::app {

/// Makes the process watch for signals; called before MPI starts. A second signal of the same kind ends the process at once.
void watch_for_signals();
/// Lets that many seconds pass from now on (at most a day, in whole ones, at least 1); then it is as if a signal had come, SIGALRM.
void stop_after(double seconds);
/// Takes the limit of time away: no SIGALRM comes any more, and one that came is forgotten.
void time_is_no_limit_any_more();
/// The signal that came, or 0.
int signal_received();

}  // namespace plumbline::app
