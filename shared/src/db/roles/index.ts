export {
  type CreatedRole,
  type CreateRolesOptions,
  createServiceRoles,
  RolesRefused,
} from './create-roles.ts';
export {
  findRolePrefixes,
  nameServiceRoles,
  repeatGrants,
  rightsOf,
  type ServiceRoles,
} from './grant-rights.ts';
export {
  type RowService,
  rowServices,
  type ServiceDatabase,
  type ServiceSchema,
  type ServiceTransaction,
} from './service-rights.ts';
