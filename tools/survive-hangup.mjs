import { isatty } from 'node:tty';

/**
 * `npm start` loads this before the program. While a program is loaded, SIGHUP would end it. A server that will read its files again at
 * that signal has not read them for the first time yet, so it can ignore the signal here. So can a server without a terminal, which
 * goes on at that signal. Both listen to the signal themselves afterwards.
 */
const readsFiles = Object.keys(process.env).some((name) => name.endsWith('_FILE'));
if (readsFiles || ![0, 1, 2].some(isatty)) process.on('SIGHUP', () => {});
