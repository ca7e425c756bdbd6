/** The document with the table of each measurement, from the root of the repository. */
export const documents: Readonly<Record<string, readonly string[]>> = {
  // npm test -- faults
  revocation: ['docs/design/faults.md'],
  faults: ['docs/design/faults.md'],
  rolling: ['docs/design/faults.md'],
  kills: ['docs/design/faults.md'],
  herd: ['docs/design/faults.md'],
  databases: ['docs/design/faults.md'],
  // npm run bench
  servers: ['README.md'],
  gateway: ['gateway/README.md'],
  'large-revocation': ['docs/operate/scale.md'],
  'lease-acts': ['docs/design/leases.md'],
  memory: ['docs/operate/scale.md'],
  start: ['docs/operate/operations.md'],
  // npm test -- compose
  images: ['docs/operate/containers.md'],
  compose: ['docs/operate/containers.md'],
  upgrade: ['docs/operate/containers.md'],
};
