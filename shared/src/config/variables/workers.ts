import { integer, type Parser } from '../parsers.ts';
import { variable } from '../variable.ts';

/** More than any machine that this is meant for: each worker takes some 120 MB. */
const number = integer(1, 64);

const workers: Parser<number | 'auto'> = {
  forms: `${number.forms}, or \`auto\``,
  parse: (text) => (text === 'auto' ? { value: 'auto' } : number.parse(text)),
};

export const workerVariables = {
  workers: variable({
    name: 'LATCHKEY_WORKERS',
    type: workers,
    fallback: 1,
    about:
      'How many processes share the port of the single node. `auto` is one for each core. With 1, one process does everything.',
  }),
};
