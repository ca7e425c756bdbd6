import { findSent, readInhibitions, readMatcher } from '@latchkey/support/prometheus/inhibitions';
import { parseRules, readRuleFiles } from '@latchkey/support/prometheus/rules';
import { shortenedSeconds, shortenRules } from '@latchkey/support/prometheus/shorten-rules';
import { expect, test } from 'vitest';
import { faults } from '../faults/fault-list.ts';
import { clientFaults } from './client-faults.ts';
import { expectedAlerts } from './expected-alerts.ts';
import { singleNodeFaults } from './single-nodes.ts';

const files = readRuleFiles();
const { alerts } = parseRules(files);

test('alerts are expected only of faults that are tried, and only alerts that have a rule', () => {
  const names = new Set(alerts.map(({ alert }) => alert));
  const tried = new Set([...[...faults, ...clientFaults].map(({ name }) => name), ...singleNodeFaults]);
  expect(Object.keys(expectedAlerts).filter((name) => !tried.has(name))).toEqual([]);
  const expected = Object.values(expectedAlerts).flatMap(({ must, may = [] }) => [...must, ...may]);
  expect(expected.filter((name) => !names.has(name))).toEqual([]);
});

test('some fault raises each alert', () => {
  const raised = new Set(Object.values(expectedAlerts).flatMap(({ must, may = [] }) => [...must, ...may]));
  expect(alerts.map(({ alert }) => alert).filter((name) => !raised.has(name))).toEqual([]);
});

test('every window and hold of the rules is shortened to seconds in the same order, and nothing else is changed', () => {
  const shortened = shortenRules(files);
  for (const { text } of shortened) expect(text.match(/\[\d+[mhd]\]|for: \d+[mhd]\b/g)).toBeNull();
  const strip = (text: string) => text.replace(/\[\w+\]|for: \w+/g, '');
  expect(shortened.map(({ text }) => strip(text))).toEqual(files.map(({ text }) => strip(text)));
  const seconds = Object.values(shortenedSeconds);
  expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
});

test('a rule with a time that has no shortened one is refused', () => {
  expect(() => shortenRules([{ path: 'a.rules.yaml', text: 'expr: rate(a[7m])\n' }])).toThrow('7m');
});

test('the inhibition rules for Alertmanager name only alerts that have a rule', () => {
  const names = alerts.map(({ alert }) => alert);
  const named = readInhibitions()
    .flatMap((rule) => [...rule.source_matchers, ...rule.target_matchers])
    .map(readMatcher)
    .flatMap(({ label, values }) => (label === 'alertname' ? values : []));
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

test.each([
  ['Postgres killed', 'leases', ['LatchkeyDatabaseDown']],
  ['Postgres slow by 1 s', 'leases', ['LatchkeyDatabaseReadOnly']],
  ['the lease service killed', 'leases', ['LatchkeyServiceAbsent']],
  ['the content service killed', 'content', ['LatchkeyServiceAbsent']],
  ['the playback service killed', 'playback', ['LatchkeyServiceAbsent']],
  ['every process killed', 'leases', ['LatchkeyNotObserved']],
])('with the inhibition rules, "%s" is one alert in place of several', (fault, service, sent) => {
  const { must = [] } = expectedAlerts[fault] ?? {};
  const firing = must.map((alertname) => ({ alertname, job: 'latchkey', service }));
  expect(firing.length).toBeGreaterThan(1);
  expect(findSent(firing).map(({ alertname }) => alertname)).toEqual(sent);
});
