import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryFolder } from '../repository.ts';

/** Where the rules for Prometheus are, from the root of the repository. */
const rulesFolder = 'ops/prometheus';

export interface AlertRule {
  alert: string;
  expr: string;
  /** How long the expression must hold, such as `5m`; undefined if it fires at once. */
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

export interface RecordingRule {
  record: string;
  expr: string;
}

interface RuleFile {
  /** From the root of the repository. */
  path: string;
  text: string;
}

export function readRuleFiles(): RuleFile[] {
  return readdirSync(join(repositoryFolder, rulesFolder))
    .filter((name) => name.endsWith('.rules.yaml'))
    .map((name) => `${rulesFolder}/${name}`)
    .map((path) => ({ path, text: readFileSync(join(repositoryFolder, path), 'utf8') }));
}

/** All rules of the files, alerts and recordings apart. */
export function parseRules(files: readonly RuleFile[]): { alerts: AlertRule[]; records: RecordingRule[] } {
  const rules = files.flatMap(({ text }) =>
    (parse(text) as { groups: { rules: (AlertRule | RecordingRule)[] }[] }).groups.flatMap(
      (group) => group.rules,
    ),
  );
  return {
    alerts: rules.filter((rule) => 'alert' in rule),
    records: rules.filter((rule) => 'record' in rule),
  };
}

/** Words of an expression that are followed by a bracket or a list of labels, and so look like metrics. */
const notMetrics = new Set(['by', 'on', 'without', 'and', 'or', 'unless', 'group_left', 'ignoring', 'bool']);

/**
 * The metrics that an expression reads, without the endings of a histogram: a name that is neither a function nor a label. Good
 * enough for the rules of this repository, which write labels in `{}` or in `()` after `by` and `on`.
 */
export function metricsIn(expr: string): string[] {
  const plain = expr
    .replace(/"[^"]*"/g, '""')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|on|without|ignoring|group_left)\s*\([^)]*\)/g, '');
  const names = [...plain.matchAll(/(?<![\w:.])[a-zA-Z_:][\w:]*(?!\s*\()(?![\w:])/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => !notMetrics.has(name)))].map((name) =>
    name.includes(':') ? name : name.replace(/_(bucket|count|sum)$/, ''),
  );
}
