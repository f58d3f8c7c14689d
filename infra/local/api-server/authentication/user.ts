/** The caller of a request. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

/** The caller without a token: the local administrator, who may do everything. */
export const administrator: User = {
  username: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

export function isAdministrator({ groups }: User): boolean {
  return groups.includes('system:masters');
}
