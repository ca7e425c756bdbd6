import { expect, it } from 'vitest';
import { readOptions } from './demo-options.ts';

it('every option of the demonstration is read', () => {
  const options = readOptions(['--check', '--port', '0', '--seconds', '20']);
  expect(options).toEqual({ help: false, check: true, port: 0, seconds: 20 });
});

it.each([
  [['--seconds', '19'], /--seconds "19"; accepted: a whole number from 20 to 600/],
  [['--seconds', '1e2'], /--seconds "1e2"/],
  [['--port', '65535'], /--port "65535"; accepted: .* 65534/],
  [['--port', '-1'], /--port/],
  [['--fast'], /--fast/],
  [['somewhere'], /somewhere/],
])('the arguments %j are refused with a message about the accepted forms', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
