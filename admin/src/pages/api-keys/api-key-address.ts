/** The page of an API key. @param id a UUID */
export function apiKeyAddress(id: string): string {
  return `/api-keys/${id}`;
}
