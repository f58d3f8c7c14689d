/** Whether a parameter of a query is set, as the API server reads it: only absence, `0` and `false` are not. */
export const isSet = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
};
