/** The password of everybody whom the tests register. */
export const PASSWORD = "correct horse battery staple";
