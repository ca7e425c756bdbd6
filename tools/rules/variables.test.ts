import { expect, it } from 'vitest';
import { findUnevenVariables, namesInCompose, namesInManifests, namesInTables } from './variables.ts';

it('variables are found in the first column of a table, in compose.yaml, in .env files and in manifests', () => {
  const table =
    '| variable | default | meaning |\n|---|---|---|\n| `PORT`, `HOST` | `4100` | see `LOG_LEVEL` |\n';
  expect(namesInTables(table)).toEqual(['PORT', 'HOST']);
  const compose = 'x-a:\n  # LOG_LEVEL: not this\n  S3_BUCKET: videos\n      POSTGRES_USER: latchkey\n';
  expect(namesInCompose(compose)).toEqual(['S3_BUCKET']);
  const manifests =
    '# PORT=1\nS3_BUCKET=videos\n- { name: NATS_URL_FILE, value: x }\n- name: HOST\n  name: web\n    - PORT=1\n';
  expect(namesInManifests(manifests)).toEqual(['S3_BUCKET', 'NATS_URL', 'HOST', 'PORT']);
});

it('a place may leave out a declared variable if it is listed as left out', () => {
  const place = { name: 'compose.yaml', names: ['HOST', 'KEY_V2'], leftOut: { PORT: 'fixed' } };
  expect(findUnevenVariables(['PORT', 'HOST', 'KEY_V2, …_V999'], [place])).toEqual([]);
});

it('a declared variable that a place does not name is refused, and so is the reverse', () => {
  expect(findUnevenVariables(['PORT', 'HOST'], [{ name: 'k8s', names: ['HOST', 'POST'] }])).toEqual([
    'k8s does not name PORT, which shared/src/config/variables declares',
    'k8s names POST, which shared/src/config/variables does not declare',
  ]);
});

it('a variable that is listed as left out of a place, but stands there, is refused', () => {
  const place = { name: 'k8s', names: ['PORT'], leftOut: { PORT: 'fixed' } };
  expect(findUnevenVariables(['PORT'], [place])).toEqual([
    'k8s names PORT: remove it from the list of variables that are left out there',
  ]);
});
