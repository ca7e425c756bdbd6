export { type CreatedRole, createServiceRoles } from './create-roles.ts';
export { repeatGrants, rightsOf } from './grant-rights.ts';
export { mayRead, mayReadEveryTable } from './may-read.ts';
export {
  rowServices,
  type ServiceDatabase,
  type ServiceSchema,
  type ServiceTransaction,
} from './service-rights.ts';
