#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CPseudoTerminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

void pseudo_terminal_resize(int end, int columns, int rows) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    ioctl(end, TIOCSWINSZ, &size);
}

int pseudo_terminal_open(int columns, int rows, int *program) {
    int end = posix_openpt(O_RDWR | O_NOCTTY);
    if (end < 0) return -1;
    if (grantpt(end) != 0 || unlockpt(end) != 0 || (*program = open(ptsname(end), O_RDWR | O_NOCTTY)) < 0) {
        close(end);
        return -1;
    }
    fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(*program, F_SETFD, FD_CLOEXEC);
    pseudo_terminal_resize(end, columns, rows);
    return end;
}

pid_t pseudo_terminal_start(int end, int flags, char *const *arguments) {
    const char *name = ptsname(end);
    // A backtrace would take long.
    setenv("SWIFT_BACKTRACE", "enable=no", 1);
    pid_t process = fork();
    if (process != 0) return process;
    // From here on, only what is safe after a fork.
    setsid();
    int terminal = open(name, O_RDWR | flags);
    ioctl(terminal, TIOCSCTTY, 0);
    for (int file = 0; file < 3; file++) dup2(terminal, file);
    if (terminal > 2) close(terminal);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(arguments[0], arguments);
    _exit(127);
}
