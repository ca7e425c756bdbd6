export { mount } from './app.ts';
export { leaseSettingRules, leaseSettings } from './config.ts';
export { createLeaseReader } from './lease-reader.ts';
