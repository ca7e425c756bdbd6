import { describe, expect, it } from 'vitest';
import { findSlowText } from './expressions/find-ambiguity.ts';
import { findSlowExpressions } from './slow-expressions.ts';

describe('an expression is refused', () => {
  it.each([
    ['two loops over the same characters', /^[ \t]*([^\n]+?)[ \t]*\n/],
    ['two loops over the same word', /^(?:ab)*(?:ab)*c/],
    ['two loops with text between', /^(.*),(.*)$/],
    ['a search for the end of a run', /\/+$/],
    ['a search for a beginning that the rest may contain', /BEGIN .+ END/],
    ['a search for a line that goes on over lines', /^x[\s\S]*?y/m],
    ['a search for the end of a repeated word', /(?:\r?\n)*$/],
    ['a look-ahead at each character', /^(?:(?!.*b)a)*c/],
    ['a group and what it matched', /^(a+)\1b/],
    ['a look-behind that the run itself fulfils', /(?<=a)a+$/],
    ['a look-behind of several characters', /(?<=ab)[ab]+$/],
    ['a repetition with a large bound', /[a-z]{1,600};/],
    ['letters of both cases', /^k*\u212a*;/iu],
  ])('if some text takes time by its square: %s', (_, expression) => {
    expect(findSlowText(expression.source, expression.flags)?.cost).toBe('polynomial');
  });

  it.each([
    ['a loop within a loop', /^(a+)+$/],
    ['the same twice', /^(?:a|a)*b/],
    ['classes that overlap', /^(?:\w|\d)+;/],
    ['an option at the end of a loop', /^(\w+\s?)*$/],
    ['options only', /^(?:a*b?)*$/],
    ['a loop over all of a loop', /^(([a-z])+.)+[A-Z]([a-z])+$/],
  ])('if some text takes exponential time: %s', (_, expression) => {
    expect(findSlowText(expression.source, expression.flags)?.cost).toBe('exponential');
  });
});

it.each([
  ['loops over different characters', /^[a-z]+:[0-9]*$/],
  ['a loop that the next character ends', /^(?:[^,]*,)*$/],
  ['a search for a run that needs no end', /\s+/],
  ['a search that always succeeds where it begins', /[?#].*$/s],
  ['a search behind the end of another run', /(?:^|[^\w-])[\w-]{16,}\./],
  ['a search at the border of a word', /\bfoo\w*;/],
  ['a search by line that stays in its line', /^x: *\d+$/m],
  ['a search for the end of a run, from its beginning', /(?<!\/)\/+$/],
  ['a search behind a blank', /(?<=\s)[a-z]+;/],
  ['a sticky search', /\s*,/y],
  ['an option in a loop', /^(?:a?)*$/],
  ['a small bound', /[0-9]{1,10};/],
  ['alternatives that share their beginning', /^(?:ab|ac)*$/],
])('an expression is accepted that takes proportional time: %s', (_, expression) => {
  expect(findSlowText(expression.source, expression.flags)).toBeNull();
});

it('the text that a complaint names makes the expression slow', () => {
  const { before, pump, after } = findSlowText('\\r\\norigin:[ \\t]*([^\\r\\n]+?)[ \\t]*\\r\\n', 'i') ?? {};
  expect({ before, pump, after }).toEqual({ before: '\r\norigin:\t', pump: '\t', after: '' });
});

it.each([
  ['a literal', 'text.replace(/ +$/, "");'],
  ['a text', "new RegExp(' +$');"],
  ['a text without new', "RegExp(' +$', 'g');"],
  ['parts', `const blanks = ' +';\nnew RegExp(\`\${blanks}$\`);`],
  ['raw parts', `const blanks = String.raw\`\\s+\`;\nnew RegExp(\`\${blanks}$\`);`],
  ['another expression', `const blanks = / +/;\nnew RegExp(\`\${blanks.source}$\`);`],
  ['a number', `const most = 601;\nnew RegExp(\`[a-z]{0,\${most - 1}};\`, 'u');`],
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
  ['an unbounded look-behind', 'text.match(/(?<=a*)b/);'],
])('an expression that cannot be judged is a complaint: %s', (_, source) => {
  expect(findSlowExpressions('read.ts', source)).toHaveLength(1);
});

it('escaped parts are accepted', () => {
  expect(findSlowExpressions('read.ts', `new RegExp(\`^\${RegExp.escape(name)}=\\\\d+$\`);`)).toEqual([]);
});
