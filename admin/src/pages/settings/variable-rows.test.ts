import { expect, it } from 'vitest';
import {
  describeRetention,
  describeValue,
  filterVariables,
  groupVariables,
  listVariables,
} from './variable-rows.ts';

const variable = (name: string, value: string | null, from: 'default' | 'environment' | 'file') => ({
  ...{ name, value, from, about: `About ${name}.` },
});
const process = (service: string, ...variables: ReturnType<typeof variable>[]) => ({
  ...{ service, address: 'a:1', variables, masterKeys: [], keySetAgeMs: null },
});

it('a variable that all processes have alike is one row, and one that differs names who has it how', () => {
  const rows = listVariables([
    process('gateway', variable('PORT', '1', 'environment'), variable('A', 'default 5', 'default')),
    process('leases', variable('A', '7', 'environment')),
    process('auth', variable('A', 'default 5', 'default')),
  ]);
  expect(rows.map(({ name, value, services }) => [name, value, services])).toEqual([
    ['A', 'default 5', ['gateway a:1', 'auth a:1']],
    ['A', '7', ['leases a:1']],
    ['PORT', '1', []],
  ]);
});

it('variables are found by name and meaning, and those with their default can be left out', () => {
  const rows = listVariables([
    process('x', variable('PORT', '1', 'environment'), variable('LOG', 'default info', 'default')),
  ]);
  const names = (text: string, isSetOnly: boolean) =>
    filterVariables(rows, { text, isSetOnly }).map(({ name }) => name);
  expect([names('', false), names('', true), names(' about log', false), names('zz', false)]).toEqual([
    ['LOG', 'PORT'],
    ['PORT'],
    ['LOG'],
    [],
  ]);
});

it('variables are in the sections of the document, and variables that are set come first', () => {
  const names = [
    'AUTH_JWT_SECRET',
    'AUTH_SERVICE_URL',
    'LEASES_KEEP_HOURS',
    'LEASE_MODE',
    'LEASE_TTL_SECONDS',
  ];
  const variables = names.map((name) =>
    variable(name, '1', name === 'LEASE_TTL_SECONDS' ? 'environment' : 'default'),
  );
  const groups = groupVariables(listVariables([process('x', ...variables)]));
  expect(groups.map(({ section, rows }) => [section, ...rows.map(({ name }) => name)])).toEqual([
    ['Viewer tokens', 'AUTH_JWT_SECRET'],
    ['Content and leases', 'LEASE_TTL_SECONDS', 'LEASE_MODE'],
    ['Records and webhooks', 'LEASES_KEEP_HOURS'],
    ['Separate services', 'AUTH_SERVICE_URL'],
  ]);
});

it('what is secret or in a file is said to be set', () => {
  expect(describeValue({ from: 'environment', value: null })).toBe('Set, not shown');
  expect(describeValue({ from: 'file', value: null })).toBe('In a file, not shown');
  expect(describeValue({ from: 'default', value: 'default 5' })).toBe('default 5');
});

it.each([
  ['default 400', '400 days'],
  ['1', '1 day'],
  ['0', 'Always'],
  [null, 'Set, not shown'],
])('a retention of %s is shown as "%s"', (value, words) => {
  expect(describeRetention({ from: 'environment', value }, 'day', 'Always')).toBe(words);
});
