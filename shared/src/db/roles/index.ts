export { type CreatedRole, createServiceRoles } from './create-roles.ts';
export { mayRead, mayReadEveryTable, repeatGrants, rightsOf } from './grant-rights.ts';
export {
  rowServices,
  type ServiceDatabase,
  type ServiceSchema,
  type ServiceTransaction,
} from './service-rights.ts';
