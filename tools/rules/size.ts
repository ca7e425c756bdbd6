import { type Node, parseSync, Visitor } from 'oxc-parser';

/** In lines. A reader can remember a file of this length, and sees a function of this length on one screen. */
const limits = { file: 300, function: 70 };

/**
 * Finds files and functions that are too long. Returns a sentence for each. The block of a `describe` counts as a list of
 * tests, not as a function.
 *
 * @param file path from the root of the repository: its ending selects the parser
 * @param source the text of the file
 */
export function findTooLong(file: string, source: string): string[] {
  const found: string[] = [];
  const lines = source.trimEnd().split('\n').length;
  if (lines > limits.file) found.push(`${file} has ${lines} lines: split it, ${limits.file} are allowed`);

  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const suites = new Set<Node>();
  const judge = (node: Node) => {
    const length = lineAt(node.end) - lineAt(node.start) + 1;
    if (length <= limits.function || suites.has(node)) return;
    const place = `${file}:${lineAt(node.start)}`;
    found.push(`${place} has a function of ${length} lines: split it, ${limits.function} are allowed`);
  };
  new Visitor({
    CallExpression(call) {
      if (!/^describe\b/.test(source.slice(call.start, call.end))) return;
      for (const argument of call.arguments) suites.add(argument);
    },
    FunctionDeclaration: judge,
    FunctionExpression: judge,
    ArrowFunctionExpression: judge,
  }).visit(parseSync(file, source).program);
  return found;
}
