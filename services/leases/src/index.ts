export { mount } from './app.ts';
export { leaseSettings } from './config.ts';
export { createLeaseReader } from './lease-reader.ts';
