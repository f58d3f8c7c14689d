/**
 * The `imagePullPolicy` that the API server gives a new container, by the image's tag. The server does not
 * update the policy when the image changes later, so a kind has to set it.
 */
export const pullPolicyOf = (image: string): 'Always' | 'IfNotPresent' =>
  /:latest(@|$)|^[^@:]*(:\d+\/[^@:]*)?$/.test(image) ? 'Always' : 'IfNotPresent';
