export { leaseSettingRules, leaseSettings } from './config.ts';
export { createLeaseReader } from './lease-reader.ts';
export { mount } from './mount.ts';
