import { expect, it } from 'vitest';
import { findDocumentedCommands } from './documented-commands.ts';

it.each([
  ['`npm run bench -- keys --rounds 10`', 'npm run bench', ['keys', '--rounds', '10']],
  ['`npm test -- faults --part kills`', 'npm test -- faults', ['--part', 'kills']],
  ['`npm test -- api/leases -t NAME`', 'npm test', ['api/leases', '-t', 'NAME']],
  ['`npm start -- --version`', 'npm start', ['--version']],
  ['`latchkey migrate\n--roles`', 'latchkey migrate', ['--roles']],
  [
    '```sh\nDATABASE_URL=postgres://a npx latchkey migrate --roles > out # and more\n```\n',
    'latchkey migrate',
    ['--roles'],
  ],
  [
    '```sh\ngit pull && npx latchkey api-keys create --name x \\\n  --scope full\n```\n',
    'latchkey api-keys create',
    ['--name', 'x', '--scope', 'full'],
  ],
  [
    '```sh\nURL=$(npx latchkey session film --viewer ada)\n```\n',
    'latchkey session',
    ['film', '--viewer', 'ada'],
  ],
])('in %j the command %s with %j is found', (text, program, args) => {
  expect(findDocumentedCommands(text)).toEqual([{ program, args }]);
});

it.each(['`latchkey.env`', '`docker run --name latchkey x`', '`npm`', 'npm test', '```js\nnpm test\n```\n'])(
  'in %j there is no command of this repository',
  (text) => {
    expect(findDocumentedCommands(text)).toEqual([]);
  },
);
