export { openProviders, type Providers } from './providers.ts';
