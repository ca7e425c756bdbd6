/** Every action that the server audits, and what it is to people. */
export const actions: Readonly<Record<string, string>> = {
  setup: 'Claim the server',
  'api-key.create': 'Create an API key',
  'api-key.rotate': 'Rotate an API key',
  'api-key.revoke': 'Revoke an API key',
  'api-key.list': 'List API keys',
  'api-key.current': 'Ask who a key is',
  'content.create': 'Register a content',
  'content.update': 'Change a content',
  'content.disable': 'Disable a content',
  'content.list': 'List content',
  'content.read': 'Read a content',
  'lease.create': 'Create a lease',
  'lease.renew': 'Renew a lease',
  'lease.evict': 'Make room for a newer lease',
  'lease.revoke': 'Revoke leases',
  'lease.list': 'List leases',
  'lease.read': 'Read a lease',
  'upload.presign': 'Ask for an upload address',
  'audit.list': 'Read the audit',
  'audit.export': 'Export the audit',
  'events.stream': 'Follow the events',
  'statistics.read': 'Read the figures',
};

/** An action in words; as it is where a newer server knows more of them. */
export function nameOfAction(action: string): string {
  return actions[action] ?? action;
}

const actorKinds: Readonly<Record<string, string>> = {
  'api-key': 'API key',
  'bootstrap-key': 'Bootstrap key',
  viewer: 'Viewer',
  anonymous: 'Nobody known',
  operator: 'Operator, by command',
  system: 'The server itself',
};

export function nameOfActorKind(kind: string): string {
  return actorKinds[kind] ?? kind;
}
