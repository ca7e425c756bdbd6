/** All audited actions with their names. */
export const actions: Readonly<Record<string, string>> = {
  setup: 'Claim the server',
  'api-key.create': 'Create an API key',
  'api-key.update': 'Change an API key',
  'api-key.rotate': 'Rotate an API key',
  'api-key.revoke': 'Revoke an API key',
  'api-key.list': 'List API keys',
  'api-key.read': 'Read an API key',
  'api-key.current': 'Identify an API key',
  'content.create': 'Register a content',
  'content.update': 'Change a content',
  'content.disable': 'Disable a content',
  'content.import-key': 'Import a content key',
  'content.remove-key': 'Remove an imported content key',
  'content.export-keys': 'Export content keys',
  'content.list': 'List content',
  'content.read': 'Read a content',
  'lease.create': 'Create a lease',
  'lease.renew': 'Renew a lease',
  'lease.evict': 'Evict a lease',
  'session.create': 'Create a playback session',
  'lease.revoke': 'Revoke leases',
  'mark.lift': 'Accept refused tokens again',
  'mark.list': 'List refused tokens',
  'viewer.list': 'Find viewers',
  'viewer.block': 'Block a viewer',
  'viewer.unblock': 'Lift the block of a viewer',
  'viewer.read-block': 'Read the block of a viewer',
  'viewer.list-blocks': 'List blocked viewers',
  'key.explain': 'Explain a key request',
  'lease.list': 'List leases',
  'lease.read': 'Read a lease',
  'upload.presign': 'Request an upload URL',
  'audit.list': 'Read the audit',
  'audit.export': 'Export the audit',
  'webhook.create': 'Add a webhook',
  'webhook.update': 'Change a webhook',
  'webhook.delete': 'Delete a webhook',
  'webhook.rotate-secret': 'Rotate the secret of a webhook',
  'webhook.test': 'Test a webhook',
  'webhook.replay': 'Replay a delivery',
  'webhook.list': 'List webhooks',
  'webhook.get': 'Read a webhook',
  'webhook.deliveries': 'List deliveries',
  'events.stream': 'Stream events',
  'statistics.read': 'Read statistics',
};

/** The name of an action. An action of a newer server is shown as it is. */
export function nameOfAction(action: string): string {
  return actions[action] ?? action;
}

const actorKinds: Readonly<Record<string, string>> = {
  'api-key': 'API key',
  'bootstrap-key': 'Bootstrap key',
  viewer: 'Viewer',
  anonymous: 'Unknown caller',
  operator: 'Operator (command line)',
  system: 'Server',
};

export function nameOfActorKind(kind: string): string {
  return actorKinds[kind] ?? kind;
}
