import { contentVariables, gatewayVariables, presignVariables, type Values } from '@latchkey/shared/config';

/** The variables of the content service alone. */
export const contentServiceVariables = {
  ...contentVariables,
  ...presignVariables,
  publicUrl: gatewayVariables.publicUrl,
};

export type ContentServiceConfig = Values<typeof contentServiceVariables>;
