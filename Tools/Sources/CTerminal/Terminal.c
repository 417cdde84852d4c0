#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios saved;
static volatile sig_atomic_t is_active;
static int events[2] = {-1, -1};

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS, SIGQUIT};
enum { crash_count = sizeof(crashes) / sizeof(crashes[0]) };
static struct sigaction before[crash_count];

// A stack of its own, for a crash that has used up the other one.
static char handler_stack[64 * 1024];

// Whether a write that failed can be repeated: a signal interrupted it, or there was no space and now is. Another
// program may have made the terminal non-blocking; then writes fail instead of waiting.
static int can_repeat(int error) {
    if (error == EINTR) return 1;
    if (error != EAGAIN && error != EWOULDBLOCK) return 0;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, -1) >= 0 || errno == EINTR;
}

void terminal_write(const void *bytes, size_t length) {
    const char *next = bytes;
    while (length > 0) {
        ssize_t count = write(STDOUT_FILENO, next, length);
        if (count < 0 && can_repeat(errno)) continue;
        if (count <= 0) return;
        next += count;
        length -= (size_t)count;
    }
}

// The alternate screen, bracketed paste, and no wrapping at the right edge.
static const char enter[] = "\033[?1049h\033[?2004h\033[?7l\033[2J";
static const char leave[] = "\033[0m\033[?7h\033[?2004l\033[?25h\033[?1049l";

static void notify(int signal) {
    int error = errno;
    char event = signal == SIGWINCH ? terminal_resized : signal == SIGTSTP ? terminal_suspended : terminal_ended;
    // If the pipe is full, there are enough events in it.
    (void)!write(events[1], &event, 1);
    errno = error;
}

static void crashed(int signal) {
    terminal_end();
    // The handler that was there before, such as Swift's for a backtrace, or else the end of the process.
    for (int index = 0; index < crash_count; index++) {
        if (crashes[index] == signal) sigaction(signal, &before[index], NULL);
    }
    raise(signal);
}

static int handle_signals(void) {
    if (events[0] >= 0) return 0;
    if (pipe(events) != 0) return errno;
    for (int end = 0; end < 2; end++) {
        fcntl(events[end], F_SETFL, O_NONBLOCK);
        fcntl(events[end], F_SETFD, FD_CLOEXEC);
    }
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)};
    sigaltstack(&stack, NULL);
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigfillset(&action.sa_mask);
    action.sa_handler = crashed;
    action.sa_flags = SA_ONSTACK;
    for (int index = 0; index < crash_count; index++) sigaction(crashes[index], &action, &before[index]);
    action.sa_handler = notify;
    action.sa_flags = SA_RESTART;
    const int asked[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t index = 0; index < sizeof(asked) / sizeof(asked[0]); index++) {
        sigaction(asked[index], &action, NULL);
        sigaddset(&set, asked[index]);
    }
    // The program may have inherited blocked signals.
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 0;
}

int terminal_begin(void) {
    if (tcgetattr(STDIN_FILENO, &saved) != 0 || !isatty(STDOUT_FILENO)) return errno ? errno : ENOTTY;
    int error = handle_signals();
    if (error != 0) return error;
    struct termios raw = saved;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_cflag |= CS8;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    is_active = 1;
    // What was typed already is kept.
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0) {
        is_active = 0;
        return errno;
    }
    terminal_write(enter, sizeof(enter) - 1);
    return 0;
}

void terminal_end(void) {
    if (!is_active) return;
    is_active = 0;
    terminal_write(leave, sizeof(leave) - 1);
    tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

void terminal_stop(void) { raise(SIGSTOP); }

int terminal_events(void) { return events[0]; }

int terminal_size(int *columns, int *rows) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return errno;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}
