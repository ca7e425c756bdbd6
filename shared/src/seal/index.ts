export { acceptedSecrets, madeOf, type Renewable } from './accepted-secrets.ts';
