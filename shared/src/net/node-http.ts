/**
 * Values of Node's `http`. An `import` of one of them would read them all, and the getter of `WebSocket` loads Node's `fetch`: 3 MiB that
 * a server without outgoing requests does not need. Types are imported from `node:http` itself.
 */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http');
