/** All audited actions: the name of each, and the change that the Overview lists. */
const actions: Readonly<Record<string, readonly [name: string, change?: string]>> = {
  setup: ['Claim the server', 'The server was claimed'],
  'api-key.create': ['Create an API key', 'An API key was created'],
  'api-key.update': ['Change an API key', 'An API key was changed'],
  'api-key.rotate': ['Rotate an API key', 'An API key was rotated'],
  'api-key.revoke': ['Revoke an API key', 'An API key was revoked'],
  'api-key.list': ['List API keys'],
  'api-key.read': ['Read an API key'],
  'api-key.current': ['Identify an API key'],
  'content.create': ['Register a content', 'A content was registered'],
  'content.update': ['Change a content', 'A content was changed'],
  'content.disable': ['Disable a content', 'A content was disabled'],
  'content.import-key': ['Import a content key', 'A content key was imported'],
  'content.remove-key': ['Remove an imported content key', 'An imported content key was removed'],
  'content.export-keys': ['Export content keys'],
  'content.list': ['List content'],
  'content.read': ['Read a content'],
  'lease.create': ['Create a lease'],
  'lease.renew': ['Renew a lease'],
  'lease.evict': ['Evict a lease'],
  'session.create': ['Create a playback session'],
  'lease.revoke': ['Revoke leases'],
  'mark.lift': ['Accept refused tokens again', 'A mark was lifted'],
  'mark.list': ['List refused tokens'],
  'viewer.list': ['Find viewers'],
  'viewer.block': ['Block a viewer', 'A viewer was blocked'],
  'viewer.unblock': ['Lift the block of a viewer', 'The block of a viewer was lifted'],
  'viewer.read-block': ['Read the block of a viewer'],
  'viewer.list-blocks': ['List blocked viewers'],
  'key.explain': ['Explain a key request'],
  'lease.list': ['List leases'],
  'lease.read': ['Read a lease'],
  'upload.presign': ['Request an upload URL'],
  'audit.list': ['Read the audit'],
  'audit.export': ['Export the audit'],
  'webhook.create': ['Add a webhook'],
  'webhook.update': ['Change a webhook'],
  'webhook.delete': ['Delete a webhook'],
  'webhook.rotate-secret': ['Rotate the secret of a webhook'],
  'webhook.test': ['Test a webhook'],
  'webhook.replay': ['Replay a delivery'],
  'webhook.list': ['List webhooks'],
  'webhook.get': ['Read a webhook'],
  'webhook.deliveries': ['List deliveries'],
  'events.stream': ['Stream events'],
  'statistics.read': ['Read statistics'],
};

export const knownActions = Object.keys(actions);

/** The name of an action. An action of a newer server is shown as it is. */
export function nameOfAction(action: string): string {
  return actions[action]?.[0] ?? action;
}

/** The change that an action made, in words. Undefined for an action with changes of several kinds, or without one. */
export function changeOfAction(action: string): string | undefined {
  return actions[action]?.[1];
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
