import { expect, test } from 'vitest';
import { validateObject } from './validate-object.ts';

const service = (spec: object, more: object = {}) =>
  validateObject({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec, ...more } as never);

test('an unknown field is found at any depth', () => {
  expect(service({}, { spek: {} })).toEqual(['Service x: /spek is an unknown field']);
  expect(service({ ports: [{ port: 80 }, { port: 81, targetport: 1 }] })).toEqual([
    'Service x: /spec/ports/1/targetport is an unknown field',
  ]);
});

test('a field of a wrong type, with a wrong value or missing is found', () => {
  expect(service({ ports: [{ port: '80' }] })).toEqual([
    expect.stringContaining('/spec/ports/0/port must be integer'),
  ]);
  expect(service({ type: 'Clusterip' })).toEqual([
    expect.stringContaining('/spec/type must be equal to one of'),
  ]);
  expect(service({ ports: [{}] })).toEqual([
    expect.stringContaining('/spec/ports/0 must have required property port'),
  ]);
});

test('an object of a kind that the manifests do not use is refused, such as a Secret', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } };
  expect(validateObject(secret)).toEqual(['Secret x: there is no schema for v1 Secret']);
});
