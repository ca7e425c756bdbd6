/** The document with the table of each measurement, from the root of the repository. */
export const documents: Readonly<Record<string, readonly string[]>> = {
  // npm test -- faults
  revocation: ['docs/faults.md'],
  faults: ['docs/faults.md'],
  rolling: ['docs/faults.md'],
  kills: ['docs/faults.md'],
  herd: ['docs/faults.md'],
  databases: ['docs/faults.md'],
  // npm run bench
  servers: ['README.md'],
  gateway: ['gateway/README.md'],
  'large-revocation': ['docs/scale.md'],
  'lease-acts': ['docs/leases.md'],
  memory: ['docs/scale.md'],
  start: ['docs/operations.md', 'docs/rotation.md'],
  // npm test -- compose
  images: ['docs/containers.md'],
  compose: ['docs/containers.md'],
  upgrade: ['docs/containers.md'],
};
