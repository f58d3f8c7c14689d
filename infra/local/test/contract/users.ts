/** The users, beside the administrator, whom cases name. */
export const users = ['alice', 'bob'] as const;
