import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';
import { parse } from 'yaml';

/** The labels of a firing alert, its name among them. */
export type AlertLabels = Readonly<Record<string, string>>;

interface Inhibition {
  source_matchers: string[];
  target_matchers: string[];
  equal?: string[];
}

/** The rules of `ops/alertmanager`, in their order. */
export function readInhibitions(): Inhibition[] {
  const file = join(repositoryFolder, 'ops/alertmanager/inhibit-rules.yaml');
  return (parse(readFileSync(file, 'utf8')) as { inhibit_rules: Inhibition[] }).inhibit_rules;
}

/** The label and the accepted values of a matcher such as `alertname=~"A|B"`. */
export function readMatcher(matcher: string): { label: string; values: string[] } {
  const [, label, value] = /^(\w+)=~?"([\w|-]+)"$/.exec(matcher) ?? [];
  if (!label || !value) throw new Error(`not a matcher by names: ${matcher}`);
  return { label, values: value.split('|') };
}

/** The alerts that Alertmanager would send: no other firing alert inhibits them. */
export function findSent(firing: readonly AlertLabels[]): AlertLabels[] {
  const matches = (alert: AlertLabels, matchers: readonly string[]) =>
    matchers.map(readMatcher).every(({ label, values }) => values.includes(alert[label] ?? ''));
  const rules = readInhibitions();
  return firing.filter(
    (target) =>
      !rules.some(
        ({ source_matchers, target_matchers, equal = [] }) =>
          matches(target, target_matchers) &&
          firing.some(
            (source) =>
              matches(source, source_matchers) && equal.every((label) => source[label] === target[label]),
          ),
      ),
  );
}
