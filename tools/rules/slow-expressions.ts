import { type Node, parseSync, Visitor } from 'oxc-parser';
import { analyse } from 'scslre';

/**
 * Finds regular expressions that take more than proportional time for a text that repeats one character, or whose text cannot
 * be read from the source. Returns a sentence for each. It uses the detector of `eslint-plugin-regexp`, which does not know
 * texts that repeat several characters. `recheck` does, but its answers depend on how busy the machine is.
 *
 * @param file path from the root of the repository: its ending selects the parser
 * @param source the text of the file
 */
export function findSlowExpressions(file: string, source: string): string[] {
  const found: string[] = [];
  const { program } = parseSync(file, source);
  const constants = readConstants(program);
  const judge = (node: Node, pattern: string | null, flags: string | null) => {
    const place = `${file}:${source.slice(0, node.start).split('\n').length}`;
    if (pattern === null || flags === null) {
      found.push(
        `${place} makes an expression of parts that only the running program knows: write it out, or wrap each part in RegExp.escape()`,
      );
      return;
    }
    const complaint = complain(pattern, flags);
    if (complaint) found.push(`${place} has an expression that ${complaint}: /${pattern}/${flags}`);
  };
  const judgeCall = (call: Node & { type: 'CallExpression' | 'NewExpression' }) => {
    if (call.callee.type !== 'Identifier' || call.callee.name !== 'RegExp') return;
    const [pattern, flags] = call.arguments;
    judge(call, pattern ? textOf(pattern, constants) : '', flags ? textOf(flags, constants) : '');
  };
  new Visitor({
    Literal(literal) {
      if ('regex' in literal) judge(literal, literal.regex.pattern, literal.regex.flags);
    },
    NewExpression: judgeCall,
    CallExpression: judgeCall,
    // The keyword of JSON Schema. Ajv compiles it with this flag.
    Property({ key, computed, value }) {
      if (!computed && key.type === 'Identifier' && key.name === 'pattern' && mayBeText.has(value.type))
        judge(value, textOf(value, constants), 'u');
    },
  }).visit(program);
  return found;
}

/** The other values of a property of this name are expressions, functions and defaults. */
const mayBeText = new Set(['Literal', 'TemplateLiteral', 'Identifier', 'BinaryExpression']);

type Constants = Map<string, Node | null>;

/** The value of each `const` of a file; null for a name that is declared twice. */
function readConstants(program: Node): Constants {
  const constants: Constants = new Map();
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier') constants.set(id.name, constants.has(id.name) ? null : init);
    },
  }).visit(program as Parameters<Visitor['visit']>[0]);
  return constants;
}

/** The text that an expression of the language has in every run; null if the source does not say it. */
function textOf(node: Node | null | undefined, constants: Constants): string | null {
  const value = knownValueOf(node, constants);
  return value === null ? null : String(value);
}

function knownValueOf(node: Node | null | undefined, constants: Constants): string | number | null {
  switch (node?.type) {
    case 'Literal':
      if ('regex' in node) return node.regex.pattern;
      return typeof node.value === 'string' || typeof node.value === 'number' ? node.value : null;
    case 'Identifier':
      return knownValueOf(constants.get(node.name), constants);
    case 'TemplateLiteral':
      return composed(node, 'cooked', constants);
    case 'TaggedTemplateExpression':
      return isMember(node.tag, 'String', 'raw') ? composed(node.quasi, 'raw', constants) : null;
    case 'BinaryExpression': {
      const [left, right] = [knownValueOf(node.left, constants), knownValueOf(node.right, constants)];
      if (left === null || right === null) return null;
      if (typeof left === 'number' && typeof right === 'number')
        return node.operator === '-' ? left - right : node.operator === '+' ? left + right : null;
      return node.operator === '+' ? `${left}${right}` : null;
    }
    case 'MemberExpression':
      return node.property.type === 'Identifier' && node.property.name === 'source'
        ? knownValueOf(node.object, constants)
        : null;
    case 'CallExpression':
      // Literal text, whatever it is. A letter represents it.
      return isMember(node.callee, 'RegExp', 'escape') ? 'x' : null;
    default:
      return null;
  }
}

function composed(
  { quasis, expressions }: Node & { type: 'TemplateLiteral' },
  form: 'cooked' | 'raw',
  constants: Constants,
): string | null {
  const parts = expressions.map((part) => textOf(part, constants));
  if (parts.includes(null)) return null;
  return quasis.map(({ value }, at) => `${value[form]}${parts[at] ?? ''}`).join('');
}

function isMember(node: Node, object: string, property: string): boolean {
  return (
    node.type === 'MemberExpression' &&
    node.object.type === 'Identifier' &&
    node.object.name === object &&
    node.property.type === 'Identifier' &&
    node.property.name === property
  );
}

/** Why an expression is refused; null if it is not. */
function complain(source: string, flags: string): string | null {
  const [report] = analyse({ source, flags }, { maxReports: 1 }).reports;
  if (!report) return null;
  const cost = report.exponential ? 'exponential' : 'polynomial';
  return `takes ${cost} time for a text that repeats ${JSON.stringify(report.character.pick)}`;
}
