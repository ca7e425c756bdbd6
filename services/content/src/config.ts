import { contentVariables, gatewayVariables, presignVariables } from '@latchkey/shared/config';

/** What the content service reads of the configuration. */
export const contentServiceVariables = {
  ...contentVariables,
  ...presignVariables,
  publicUrl: gatewayVariables.publicUrl,
};
