import { expect, test } from 'vitest';
import { ConfigError } from '../config/index.ts';
import { explainAndExit } from './explain-refusal.ts';

/** What is written for an error, and the code of the exit. */
function explained(error: unknown): { text: string; code: number | undefined } {
  let text = '';
  let code: number | undefined;
  const write = (part: string) => {
    text += part;
  };
  const exit = (given: number) => {
    code = given;
  };
  const process = { stderr: { write }, exit };
  explainAndExit(error, process as never, {});
  return { text, code };
}

test('a refusal by the configuration or the system is explained in words, without a stack', () => {
  const foreseen = [
    new ConfigError([{ variable: 'PORT', message: 'PORT is not a number' }]),
    Object.assign(new Error('listen EADDRINUSE: address already in use 127.0.0.1:4100'), {
      code: 'EADDRINUSE',
    }),
    Object.assign(new Error('no such column: x'), { code: 'SQLITE_ERROR' }),
    Object.assign(new Error('password authentication failed for user "latchkey"'), { code: '28P01' }),
    Object.assign(new Error('the master key of version 1 is not the one'), { forOperator: true }),
  ];
  for (const error of foreseen)
    expect(explained(error)).toEqual({ text: `Latchkey did not start.\n${error.message}\n`, code: 1 });
});

test("the explanation of a system's refusal names the variable that causes it", () => {
  const cannotOpen = Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' });
  const { text, code } = explained(cannotOpen);
  expect(code).toBe(1);
  expect(text).toMatch(/^Latchkey did not start\.\nSQLITE_PATH is "data\/latchkey\.db", .*Accepted: .*\n$/);
});

test('an unexpected error is shown with its stack', () => {
  const mistakes = [
    new TypeError('x is not a function'),
    Object.assign(new Error('odd'), { code: 'ERR_INVALID_ARG_TYPE' }),
  ];
  for (const error of mistakes) expect(explained(error).text).toMatch(/\n\s+at .*explain-and-exit\.test/);
  expect(explained('only words').text).toBe('Latchkey did not start.\nonly words\n');
});

test('the answer to an unknown flag says where the configuration is', () => {
  const refused = Object.assign(new TypeError("Unknown option '--port'"), {
    code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION',
  });
  expect(explained(refused).text).toBe(
    "Latchkey did not start.\nUnknown option '--port'\nThe configuration is in environment variables: --help names them.\n",
  );
});
