import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { type Alphabet, createAlphabet, type Element } from './alphabet.ts';

/** A step of an expression. All but `read` take no character. */
export type Step =
  | { kind: 'read'; mask: bigint; next: Step; branch: number }
  | { kind: 'either'; next: Step[] }
  | { kind: 'loop'; body: Step | null; next: Step }
  | { kind: 'assert'; assertion: AST.EdgeAssertion | AST.WordBoundaryAssertion; next: Step }
  /** The character before has to be one of the mask, or must not be. */
  | { kind: 'behind'; mask: bigint; negate: boolean; next: Step }
  | { kind: 'accept'; branch: number };

export interface Steps {
  start: Step;
  alphabet: Alphabet;
  isMultiline: boolean;
  isSticky: boolean;
  /** The sets of characters that assertions ask the character before them for. */
  asked: bigint[];
}

/** Thrown for an expression that cannot be judged. */
export class Unjudged extends Error {}

/** More repetitions than this are judged as a loop without end: by then they cost as much as one. */
const mostCopies = 64;
/** Of steps. An expression with more would take the search for ambiguity seconds. */
const mostSteps = 600;

/**
 * The steps of an expression. Look-aheads are branches with an end of their own. What they demand is ignored,
 * and what a look-behind demands of more than one character.
 */
export function readSteps(source: string, flags: string): Steps {
  const pattern = parse(source, flags);
  const alphabet = createAlphabet(findElements(pattern), flags);
  const isMultiline = flags.includes('m');
  const asked: bigint[] = [];
  let steps = 0;
  let branches = 0;
  const count = <T extends Step>(step: T): T => {
    if (++steps > mostSteps) throw new Unjudged('is too large to judge');
    return step;
  };
  const either = (alternatives: AST.Alternative[], next: Step, branch: number): Step => {
    const entries = alternatives.map((alternative) =>
      alternative.elements.reduceRight((after, element) => compile(element, after, branch), next),
    );
    return entries.length === 1 ? (entries[0] as Step) : count({ kind: 'either', next: entries });
  };
  const repeat = ({ element, min, max }: AST.Quantifier, next: Step, branch: number): Step => {
    const copies = min > mostCopies ? 1 : min;
    let step = next;
    if (max > mostCopies) {
      const loop: Step & { kind: 'loop' } = count({ kind: 'loop', body: null, next });
      loop.body = compile(element, loop, branch);
      // A repetition that is demanded enters the loop past its exit.
      step = copies === 0 ? loop : loop.body;
    } else
      for (let at = min; at < max; at++)
        step = count({ kind: 'either', next: [compile(element, step, branch), next] });
    for (let at = max > mostCopies ? 1 : 0; at < copies; at++) step = compile(element, step, branch);
    return step;
  };
  const assert = (assertion: AST.Assertion, next: Step): Step => {
    if (assertion.kind === 'lookahead') {
      const inner = ++branches;
      const entry = either(assertion.alternatives, { kind: 'accept', branch: inner }, inner);
      return count({ kind: 'either', next: [entry, next] });
    }
    if (assertion.kind !== 'lookbehind') {
      if (assertion.kind === 'word') asked.push(alphabet.words);
      if (assertion.kind === 'start' && isMultiline) asked.push(alphabet.lineEnds);
      return count({ kind: 'assert', assertion, next });
    }
    const step = lookBehind(assertion, next, alphabet);
    if (step.kind === 'behind') asked.push(step.mask);
    return step;
  };
  const compile = (element: AST.Element, next: Step, branch: number): Step => {
    switch (element.type) {
      case 'Quantifier':
        return repeat(element, next, branch);
      case 'Group':
        if (element.modifiers) throw new Unjudged('changes its flags on the way');
        return either(element.alternatives, next, branch);
      case 'CapturingGroup':
        return either(element.alternatives, next, branch);
      case 'Assertion':
        return assert(element, next);
      case 'Backreference': {
        // What the group may match is more than what it did match.
        const group = [element.resolved].flat()[0] as AST.CapturingGroup;
        return either(group.alternatives, next, branch);
      }
      default:
        return count({ kind: 'read', mask: alphabet.maskOf(element as Element), next, branch });
    }
  };
  const start = either(pattern.alternatives, { kind: 'accept', branch: 0 }, 0);
  return { start, alphabet, isMultiline, isSticky: flags.includes('y'), asked };
}

function lookBehind({ alternatives, negate }: AST.LookbehindAssertion, next: Step, alphabet: Alphabet): Step {
  const mask = characterOf(alternatives, alphabet);
  if (mask !== null) return { kind: 'behind', mask, negate, next };
  if (longest(alternatives) > mostCopies) throw new Unjudged('looks back without a bound');
  return next;
}

/** The characters of alternatives that are one character each; null for others. */
function characterOf(alternatives: AST.Alternative[], alphabet: Alphabet): bigint | null {
  const masks = alternatives.map(({ elements: [element, ...more] }) =>
    element?.type.startsWith('Character') && more.length === 0 ? alphabet.maskOf(element as Element) : null,
  );
  return masks.reduce((all, mask) => (all === null || mask === null ? null : all | mask), 0n);
}

function parse(source: string, flags: string): AST.Pattern {
  const kind = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  return new RegExpParser().parsePattern(source, 0, source.length, kind);
}

/** The longest text that a look-behind reads. */
function longest(alternatives: AST.Alternative[]): number {
  const lengthOf = (element: AST.Element): number => {
    if (element.type === 'Quantifier') return element.max * lengthOf(element.element);
    if (element.type === 'Group' || element.type === 'CapturingGroup') return longest(element.alternatives);
    if (element.type === 'Assertion') return 'alternatives' in element ? longest(element.alternatives) : 0;
    return element.type === 'Backreference' ? Number.POSITIVE_INFINITY : 1;
  };
  const lengths = alternatives.map(({ elements }) => elements.reduce((sum, each) => sum + lengthOf(each), 0));
  return Math.max(...lengths);
}

function findElements(node: AST.Node): Element[] {
  switch (node.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return [node];
    case 'Quantifier':
      return findElements(node.element);
    case 'Alternative':
      return node.elements.flatMap((each) => findElements(each));
    default:
      return 'alternatives' in node ? node.alternatives.flatMap((each) => findElements(each)) : [];
  }
}
