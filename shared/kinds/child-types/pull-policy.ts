/**
 * The `imagePullPolicy` that the API server gives a new container of an image. It does not follow when
 * the image of an existing container changes, unless the kind sets it.
 */
export const pullPolicyOf = (image: string): 'Always' | 'IfNotPresent' =>
  /:latest(@|$)|^[^@:]*(:\d+\/[^@:]*)?$/.test(image) ? 'Always' : 'IfNotPresent';
