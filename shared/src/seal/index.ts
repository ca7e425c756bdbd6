export { acceptedSecrets } from './accepted-secrets.ts';
