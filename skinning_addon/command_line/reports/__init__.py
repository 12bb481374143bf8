"""Reports of checks: as text, JSON, SARIF, JUnit and one HTML page.

Read `report_json`, which also carries reports from one process to another, then `report_text`;
`report_results` is shared by the formats for other programs.
"""
