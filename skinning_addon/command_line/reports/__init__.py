"""Reports of checks: as text, JSON, SARIF, JUnit and one HTML page.

Read `report_json`, which is also how one process hands reports to another, then `report_text`; `report_results` is
what the formats for other programs share.
"""
