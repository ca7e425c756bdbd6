/**
 * `npm start` loads this before the program. While a program is loaded, SIGHUP would end it. A server that will read its files again at
 * that signal has not read them for the first time yet, so it can ignore the signal here. It listens to the signal itself afterwards.
 */
const { LATCHKEY_WORKERS, ...others } = process.env;
if (LATCHKEY_WORKERS || Object.keys(others).some((name) => name.endsWith('_FILE')))
  process.on('SIGHUP', () => {});
