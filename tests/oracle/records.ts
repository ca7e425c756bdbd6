import type { Profile } from './servers.ts';

const longestLine = 130;

/** The answers to the variants of one request. */
interface Subject {
  request: string;
  /** By variant; then by profile. */
  answers: Map<string, Map<Profile, string>>;
}

/** The recorded answers, in files of subjects. */
export interface Records {
  /** @throws Error if this variant has an answer already */
  add(
    file: string,
    subject: string,
    request: string,
    variant: string,
    profile: Profile,
    answer: string,
  ): void;
  /** The text of each file. */
  render(): Map<string, string>;
}

/** Variants with the same answer stand together, before it. Where the profiles differ, the variant names its profile. */
export function createRecords(): Records {
  const files = new Map<string, Map<string, Subject>>();
  return {
    add(file, name, request, variant, profile, answer) {
      const subjects = take(files, file, () => new Map<string, Subject>());
      const subject = take(subjects, name, () => ({ request, answers: new Map() }));
      const answers = take(subject.answers, variant, () => new Map<Profile, string>());
      if (answers.has(profile)) throw new Error(`${file}: ${name}: two of ${variant}`);
      answers.set(profile, answer);
    },
    render: () => new Map([...files].map(([file, subjects]) => [file, renderSubjects(subjects)])),
  };
}

function take<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function renderSubjects(subjects: Map<string, Subject>): string {
  const blocks = [...subjects].map(([name, { request, answers }]) => {
    const variantsOf = new Map<string, string[]>();
    for (const [variant, byProfile] of answers) {
      const isSame = byProfile.size === 2 && new Set(byProfile.values()).size === 1;
      for (const [profile, answer] of byProfile) {
        const shown = isSame ? variant : `(${profile}) ${variant}`;
        const variants = take(variantsOf, answer, () => []);
        if (!variants.includes(shown)) variants.push(shown);
      }
    }
    const parts = [...variantsOf].map(([answer, variants]) =>
      [...mark('|', joinShort(variants.filter(Boolean))), ...mark('<', answer)].join('\n'),
    );
    return [name, ...mark('>', request), parts.join('\n\n')].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

/** Several short variants share a line. */
function joinShort(variants: readonly string[]): string {
  const lines: string[] = [];
  for (const variant of variants) {
    const joined = `${lines.at(-1)}; ${variant}`;
    if (lines.length > 0 && joined.length <= longestLine && !joined.includes('\n'))
      lines[lines.length - 1] = joined;
    else lines.push(variant);
  }
  return lines.join('\n');
}

/** Only names of subjects begin in the first column: `git diff` shows the last one above a difference. */
const mark = (sign: string, text: string) =>
  text === '' ? [] : text.split('\n').map((line) => `  ${sign} ${line}`.trimEnd());
