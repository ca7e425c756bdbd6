import { expect, it } from 'vitest';
import { findSlowExpressions } from './slow-expressions.ts';

const complaintsOf = (expression: RegExp) => findSlowExpressions('read.ts', `text.match(${expression});`);

it.each([
  ['the origin of a malformed request', /\r\norigin:[ \t]*([^\r\n]+?)[ \t]*\r\n/i],
  ['an attribute of a playlist', /\s*([A-Z0-9-]+)=(?:"([^"\r\n]*)"|([^",\r\n]*))\s*(,|$)/y],
  ['the lines at the end of a playlist', /(\r?\n)*$/],
  ['a line of headers', /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*?)[ \t]*$/],
  ['the folder of a URL', /[^/]*$/],
  ['a query in a text', /(\/\/[^\s?]*)\?[^\s,]*/g],
  ['two loops with text between', /^(.*),(.*)$/],
  ['a search for the end of a run', /\/+$/],
  ['a look-ahead at each character', /^(?:(?!.*b)a)*c/],
  ['a look-behind that the run itself fulfils', /(?<=a)a+$/],
  ['letters of both cases', /^k*\u212a*;/iu],
])('an expression is refused if some text takes time by its square: %s', (_, expression) => {
  expect(complaintsOf(expression)).toEqual([expect.stringContaining('takes polynomial time')]);
});

it.each([
  ['a loop within a loop', /^(a+)+$/],
  ['an option at the end of a loop', /^(\w+\s?)*$/],
  ['options only', /^(?:a*b?)*$/],
  ['a loop over all of a loop', /^(([a-z])+.)+[A-Z]([a-z])+$/],
])('an expression is refused if some text takes exponential time: %s', (_, expression) => {
  expect(complaintsOf(expression)).toEqual([expect.stringContaining('takes exponential time')]);
});

it.each([
  ['loops over different characters', /^[a-z]+:[0-9]*$/],
  ['a loop that the next character ends', /^(?:[^,]*,)*$/],
  ['a search for a run that needs no end', /\s+/],
  ['a search behind the end of another run', /(?:^|[^\w-])[\w-]{16,}\./],
  ['a search for the end of a run, from its beginning', /(?<!\/)\/+$/],
  ['a sticky search', /\s*,/y],
  ['an option in a loop', /^(?:a?)*$/],
  ['a small bound', /[0-9]{1,10};/],
])('an expression is accepted that takes proportional time: %s', (_, expression) => {
  expect(complaintsOf(expression)).toEqual([]);
});

it.each([
  ['a literal', 'text.replace(/ +$/, "");'],
  ['a text', "new RegExp(' +$');"],
  ['a text without new', "RegExp(' +$', 'g');"],
  ['parts', `const blanks = ' +';\nnew RegExp(\`\${blanks}$\`);`],
  ['raw parts', `const blanks = String.raw\`\\s+\`;\nnew RegExp(\`\${blanks}$\`);`],
  ['another expression', `const blanks = / +/;\nnew RegExp(\`\${blanks.source}$\`);`],
  ['a number', `const least = 2;\nnew RegExp(\` {\${least - 1},}$\`, 'u');`],
  ['a schema', "Type.String({ pattern: ' +$' });"],
  ['a schema by name', "const blanks = ' +$';\nType.String({ pattern: blanks });"],
  ['a class', 'class Reader {\n  #form = / +$/;\n}'],
])('a slow expression is found with its place in %s', (_, source) => {
  const line = source.trimEnd().split('\n').length;
  const at = source.startsWith('class') ? 2 : line;
  expect(findSlowExpressions('read.ts', source)).toEqual([
    expect.stringMatching(new RegExp(`^read\\.ts:${at} has an expression that takes polynomial time`)),
  ]);
});

it.each([
  ['an argument', `function find(name: string) {\n  return new RegExp(\`^\${name}$\`);\n}`],
  ['an import', "import { form } from './form.ts';\nType.String({ pattern: form });"],
  ['a name with two meanings', "{ const form = 'a'; }\n{ const form = 'b'; new RegExp(form); }"],
  ['flags that change', "new RegExp('a', flags);"],
])('an expression that cannot be judged is a complaint: %s', (_, source) => {
  expect(findSlowExpressions('read.ts', source)).toHaveLength(1);
});

it('escaped parts are accepted', () => {
  expect(findSlowExpressions('read.ts', `new RegExp(\`^\${RegExp.escape(name)}=\\\\d+$\`);`)).toEqual([]);
});
